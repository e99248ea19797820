"""The paper's figures and numeric claims, computed anew."""
