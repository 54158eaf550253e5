/** A route for the paths that the middleware answers. */
const notFound = () => new Response('Not Found', { status: 404 })

export const loader = notFound
export const action = notFound
