"""The local server: JSON answers about both games under ``/api/v1/``, and the page that shows them.

Read in this order:

* :mod:`solver.web.routes`: every address, with what answers it; docs/http.md is written from it.
* :mod:`solver.web.request`, :mod:`solver.web.response`, :mod:`solver.web.errors`: reading, writing, refusing.
* :mod:`solver.web.state`: what lives as long as the server: the tables, the work on threads, the page's files.
* :mod:`solver.web.oware`, :mod:`solver.web.omweso`, :mod:`solver.web.tables`: the answers.
* :mod:`solver.web.jobs`: searches and other long work, on threads of their own.
* :mod:`solver.web.guard`, :mod:`solver.web.app`: who may ask; the whole as one ASGI application.
* :mod:`solver.web.server`, :mod:`solver.web.offline`: that application on a port, or asked once without one.

Values are from the view of the player to move, in seeds; a move's are from the view of the player who makes it.
Needs the extra ``abapa[serve]``. ``docs/http.md`` is the reference for those who call it.
"""
