// app/routes.ts
import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [index('routes/home.tsx'), route('auth/*', 'routes/auth.ts')] satisfies RouteConfig
