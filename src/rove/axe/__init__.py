"""axe-core, which audits pages: a file that is fetched once, and is no part of rove."""
