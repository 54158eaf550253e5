import { expect, test } from 'vitest'
import { expectFault, findingsIn, withSecret } from '../test-support/written.js'

test.each(['AUTHORIZATION', 'TOKEN', 'USERINFO'])(
  'the sandbox as AUTH_VIDEO_%s_URL',
  async (end) => {
    const name = `AUTH_VIDEO_${end}_URL`
    const vars = (host: string, url: string) => ({
      vars: withSecret(`AUTH_URL=${url}`, `${name}=${host}/v2/`),
    })
    await expectFault('sandbox-left', {
      where: `.env ${name}`,
      fault: vars('http://localhost:8788', 'https://auth.example.com'),
      mended: vars('https://video.example.com', 'https://auth.example.com'),
    })
    expect(await findingsIn(vars('http://127.0.0.1:8788', 'http://localhost:8787'))).toEqual([])
  },
)
