"""Claims of the section on algorithms, with the proofs that the appendix has for them."""
