"""Maps over the settings of synthetic data: which algorithm wins, and by how much."""
