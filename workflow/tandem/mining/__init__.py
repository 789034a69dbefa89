"""Mining in shards: `tandem mine` as many jobs, each of bounded memory, with the same pairs."""
