"""Division: over which cores a kernel's work is spread."""
