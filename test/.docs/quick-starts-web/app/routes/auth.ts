// app/routes/auth.ts
export const loader = () => new Response('Not Found', { status: 404 })
export const action = loader
