import type { AccessToken } from '@latchkey/worker'

export const good: AccessToken = {
  ok: true,
  accessToken: '…',
  tokenType: 'bearer',
  scope: 'identify email guilds',
  expiresAt: 1_800_000_000,
}
