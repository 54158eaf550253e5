import { describe, expect, it } from 'vitest'
import type { Sandbox } from './sandbox.js'
import { authorizeUrl, codeOf, decide, exchange, sandboxAt, start } from './test-support.js'

const post = { title: 'A short film' }
const source = { source: 'PULL_FROM_URL', video_url: 'https://videos.example/1.mp4' }
const video = { post_info: post, source_info: source }

const tokenFor = async (sandbox: Sandbox, scope: string, person = 'ada') => {
  const consent = await decide(sandbox, await authorizeUrl({ scope }), { person })
  return (await exchange(sandbox, codeOf(consent))).body.access_token
}

const send = async (sandbox: Sandbox, path: string, token: unknown, body: unknown = {}) => {
  const response = await sandbox.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

const publish = (sandbox: Sandbox, token: unknown, body: unknown = video) =>
  send(sandbox, '/v2/post/publish/video/init/', token, body)

const list = (sandbox: Sandbox, token: unknown) => send(sandbox, '/v2/video/list/', token)

const ok = { status: 200, error: { code: 'ok' } }

describe('videos', () => {
  it('are posted with one scope and listed with another, for their own person alone', async () => {
    const { sandbox } = sandboxAt()
    const token = await tokenFor(sandbox, 'video.list,video.publish')
    const other = await tokenFor(sandbox, 'video.list', 'grace')
    expect(await publish(sandbox, token)).toMatchObject({
      ...ok,
      data: { publish_id: expect.any(String) },
    })
    const posted = { title: 'A short film', create_time: start / 1000, id: expect.any(String) }
    expect(await list(sandbox, token)).toMatchObject({ ...ok, data: { videos: [posted] } })
    expect(await list(sandbox, other)).toMatchObject({ ...ok, data: { videos: [] } })
  })

  it('without the scope, or with an invalid token, are not posted or listed', async () => {
    const { sandbox } = sandboxAt()
    const basic = await tokenFor(sandbox, 'user.info.basic')
    const closed = { status: 401, error: { code: 'scope_not_authorized' } }
    const unknown = { status: 401, error: { code: 'access_token_invalid' } }
    for (const ask of [publish, list]) {
      expect(await ask(sandbox, basic)).toMatchObject(closed)
      expect(await ask(sandbox, 'act.wrong')).toMatchObject(unknown)
    }
    expect(await list(sandbox, await tokenFor(sandbox, 'video.list'))).toMatchObject({
      data: { videos: [] },
    })
  })

  it.each<[string, unknown]>([
    ['no JSON', '{'],
    ['null', null],
    ['no title', { ...video, post_info: {} }],
    ['an invalid title', { ...video, post_info: { title: 7 } }],
    ['no source', { post_info: post }],
    ['an address that is not https', { ...video, source_info: { ...source, video_url: 'x' } }],
  ])('are refused with %s', async (_, body) => {
    const { sandbox } = sandboxAt()
    const token = await tokenFor(sandbox, 'video.list,video.publish')
    const refused = { status: 400, error: { code: 'invalid_params' } }
    expect(await publish(sandbox, token, body)).toMatchObject(refused)
    expect(await list(sandbox, token)).toMatchObject({ data: { videos: [] } })
  })

  it('are kept up to twenty of a person, newest first', async () => {
    const { sandbox } = sandboxAt()
    const token = await tokenFor(sandbox, 'video.list,video.publish')
    for (let count = 1; count <= 21; count++) {
      await publish(sandbox, token, { ...video, post_info: { title: `Film ${count}` } })
    }
    const titles = Array.from({ length: 20 }, (_, at) => ({ title: `Film ${21 - at}` }))
    expect(await list(sandbox, token)).toMatchObject({ data: { videos: titles } })
  })
})

describe('a grant that a person ends in their own settings', () => {
  it('is over for every app, and other people’s grants go on', async () => {
    const { sandbox } = sandboxAt()
    const [ada, grace] = [
      await tokenFor(sandbox, 'video.publish'),
      await tokenFor(sandbox, 'video.publish', 'grace'),
    ]
    sandbox.endGrants('ada')
    expect(await publish(sandbox, ada)).toMatchObject({ status: 401 })
    expect(await publish(sandbox, grace)).toMatchObject(ok)
    expect([sandbox.postedBy('ada'), sandbox.postedBy('grace')]).toEqual([[], [post.title]])
  })
})
