"""The version of rove, importable without anything else."""

VERSION = "0.1.0"
