"""What can be taken away from a page: tables with what determines them, link, scenario, picture, script."""
