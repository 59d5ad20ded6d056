"""Files leave."""
