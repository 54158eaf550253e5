/** A route for the paths that the middleware answers. */
export const ALL = () => new Response('Not Found', { status: 404 })
