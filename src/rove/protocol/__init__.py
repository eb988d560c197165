"""What the connections to browsers of every engine share: a transport, and limits on what pages send."""
