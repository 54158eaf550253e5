import type { AuthConfig } from '@latchkey/worker'
import github from '@latchkey/worker/providers/github'

export const providers: AuthConfig['providers'] = [github()] // AUTH_GITHUB_ID, AUTH_GITHUB_SECRET
