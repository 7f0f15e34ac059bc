"""One chart a file: ``data(answer)``, then ``draw(data, ax)``, and the words that go with it."""
