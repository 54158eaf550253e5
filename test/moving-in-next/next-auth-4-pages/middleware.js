import { withAuth } from 'next-auth/middleware'

export default withAuth(
  function middleware(request) {
    if (request.nextauth.token?.role !== 'admin') return Response.json({}, { status: 403 })
  },
  { callbacks: { authorized: ({ token }) => !!token } },
)

export const config = { matcher: ['/admin/:path*'] }
