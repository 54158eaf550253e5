import { beginAction, conclude, post } from './action-call.js'
import type { AuthApp } from './auth-app.js'
import type { AuthRequest } from './auth-request.js'
import type { AuthResult } from './client-flow.js'

/** The form action `signOut`. */
export async function signOutAction(app: AuthApp, request: AuthRequest): Promise<AuthResult> {
  const call = await beginAction(app, request)
  return conclude(call, await post(call, '/signout', new URLSearchParams()))
}
