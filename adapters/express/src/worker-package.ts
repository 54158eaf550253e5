import { AuthError } from '@latchkey/session'

/** The package is an optional peer: an app whose routes a Worker answers does without it. */
export type WorkerPackage = Pick<typeof import('@latchkey/worker'), 'createAuth'> &
  typeof import('@latchkey/worker/stores/memory')

/** @throws {AuthError} naming the package, where it is not installed */
export async function loadWorkerPackage(): Promise<WorkerPackage> {
  try {
    const [{ createAuth }, { memoryStore }] = await Promise.all([
      import('@latchkey/worker'),
      import('@latchkey/worker/stores/memory'),
    ])
    return { createAuth, memoryStore }
  } catch (error) {
    const { code, message = '' } = error as { code?: string; message?: string }
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@latchkey/worker')) throw error
    throw new AuthError(
      'MiddlewareAuth with `providers` answers the auth routes itself, and needs the package for that: npm install @latchkey/worker',
      { cause: error },
    )
  }
}
