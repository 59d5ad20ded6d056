"""What every stochastic method shares: the linear model, the loop over rows, fitting."""
