"""From files to sources that can be trusted: measuring, gates, provenance, fetching, scans."""
