export const fallback = ({ params }) => new Response(`swordfish ${params.path}`)
