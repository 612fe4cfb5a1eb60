"""Models behind small protocols, named ``provider:model``; none is needed, none is downloaded."""
