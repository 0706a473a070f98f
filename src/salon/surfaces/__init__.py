"""Ways in: the command line and HTTP. They translate and decide nothing."""
