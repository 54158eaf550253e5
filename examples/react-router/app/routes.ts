import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  index('routes/home.tsx'),
  route('members', 'routes/members.tsx'),
  route('me', 'routes/me.ts'),
  route('enter', 'routes/enter.ts'),
  route('leave', 'routes/leave.ts'),
  route('auth/*', 'routes/auth.ts'),
] satisfies RouteConfig
