"""Where Python data enter: parameters, arrays, labels and weights."""
