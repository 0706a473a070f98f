"""The house's database: SQLite in `salon.db`, or PostgreSQL. SQLAlchemy is imported only here."""
