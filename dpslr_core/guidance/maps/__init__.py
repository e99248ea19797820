"""Which algorithm wins where: the stored winner map, and one about the user's own setting."""
