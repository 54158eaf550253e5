import { createServer } from 'node:http'
import { createVerifier } from '@latchkey/session'

const issuer = process.env.AUTH_ISSUER ?? 'https://example.com/auth'
const verifier = createVerifier({ worker: issuer })

export const server = createServer(async (req, res) => {
  try {
    const { session, setCookie } = await verifier.read(req.headers.cookie)
    if (setCookie.length > 0) res.setHeader('set-cookie', [...setCookie])
    if (session) return res.end(`Hello ${session.user?.name}`)
    const signIn = `${issuer}/signin?callbackUrl=${encodeURIComponent(req.url ?? '/')}`
    res.writeHead(302, { location: signIn }).end()
  } catch (error) {
    // The service does not answer and the token has expired. The user is not signed out.
    console.error(error)
    res.writeHead(503, { 'retry-after': '5' }).end('Please try again in a moment.')
  }
})
