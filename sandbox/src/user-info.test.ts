import { describe, expect, it } from 'vitest'
import { defaultClient } from './clients.js'
import { testPeople } from './people.js'
import {
  authorizeUrl,
  codeOf,
  decide,
  exchange,
  freshCode,
  sandboxAt,
  userInfo,
} from './test-support.js'

const everything = [
  'open_id,union_id,avatar_url,avatar_url_100,avatar_large_url,display_name',
  'username,bio_description,profile_deep_link,is_verified',
  'follower_count,following_count,likes_count,video_count',
].join(',')

const signedIn = async (fields: Parameters<typeof freshCode>[1] = {}) => {
  const { sandbox, clock } = sandboxAt()
  const { body } = await exchange(sandbox, await freshCode(sandbox, fields))
  return { sandbox, clock, token: body.access_token, openId: body.open_id }
}

describe('user info', () => {
  it('returns the asked-for fields and no others, in the envelope', async () => {
    const { sandbox, token, openId } = await signedIn()
    expect(await userInfo(sandbox, token, '?fields=open_id,display_name')).toEqual({
      status: 200,
      data: { user: { open_id: openId, display_name: 'Ada Example' } },
      error: { code: 'ok', message: '', log_id: expect.any(String) },
    })
  })

  it('returns every field on request', async () => {
    const { sandbox, token } = await signedIn()
    const { data } = await userInfo(sandbox, token, `?fields=${everything}`)
    expect(Object.keys(data.user ?? {}).join(',')).toBe(everything)
    expect(data.user?.avatar_url).toMatch(/^https:\/\//)
  })

  it('leaves out what a person does not have', async () => {
    const { sandbox, token } = await signedIn({ person: 'nemo' })
    const { data } = await userInfo(sandbox, token, `?fields=${everything}`)
    expect(Object.keys(data.user ?? {})).toEqual(['open_id', 'union_id', 'display_name'])
  })

  it.each([
    ['no fields', ''],
    ['empty fields', '?fields='],
    ['fields given twice', '?fields=open_id&fields=display_name'],
    ['an unknown field', '?fields=open_id,shoe_size'],
    ['a space after the comma', '?fields=open_id,%20display_name'],
    ['a name from the prototype', '?fields=constructor'],
    ['the email address, which is never delivered', '?fields=email'],
  ])('%s: invalid_params', async (_, query) => {
    const { sandbox, token } = await signedIn()
    const answer = await userInfo(sandbox, token, query)
    expect(answer).toMatchObject({ status: 400, data: {}, error: { code: 'invalid_params' } })
    expect(answer.data.user).toBeUndefined()
  })

  it('a field outside the granted scope is an error for the whole request', async () => {
    const { sandbox, token } = await signedIn({ scope: [] })
    const answer = await userInfo(sandbox, token, '?fields=open_id,username')
    expect(answer).toMatchObject({ status: 401, data: {}, error: { code: 'scope_not_authorized' } })
    expect(answer.error.message).toContain('username')
  })

  it('a bad token: access_token_invalid', async () => {
    const { sandbox, token, clock } = await signedIn()
    const invalid = { status: 401, data: {}, error: { code: 'access_token_invalid' } }
    expect(await userInfo(sandbox, 'act.wrong', '?fields=open_id')).toMatchObject(invalid)
    expect(await userInfo(sandbox, '', '?fields=open_id')).toMatchObject(invalid)
    const inUrl = await sandbox.request(`/v2/user/info/?fields=open_id&access_token=${token}`)
    expect(inUrl.status).toBe(401)
    clock.now += 7_199_999
    expect((await userInfo(sandbox, token, '?fields=open_id')).status).toBe(200)
    clock.now += 1
    expect(await userInfo(sandbox, token, '?fields=open_id')).toMatchObject(invalid)
  })

  it('open_id is per client, union_id per developer, both stable', async () => {
    const make = (clientKey: string, developer: string) => ({
      ...defaultClient,
      clientKey,
      developer,
    })
    const clients = [make('a', 'one'), make('b', 'one'), make('c', 'two')]
    const idsOf = async (clientKey: string, person = 'ada') => {
      const { sandbox } = sandboxAt({ clients })
      const key = { client_key: clientKey }
      const code = codeOf(await decide(sandbox, await authorizeUrl(key), { person }))
      const { body } = await exchange(sandbox, code, key)
      const { data } = await userInfo(sandbox, body.access_token, '?fields=open_id,union_id')
      expect(data.user?.open_id).toBe(body.open_id)
      return data.user
    }
    const [a, b, c, again] = [
      await idsOf('a'),
      await idsOf('b'),
      await idsOf('c'),
      await idsOf('a'),
    ]
    expect(again).toEqual(a)
    expect(b?.open_id).not.toBe(a?.open_id)
    expect(b?.union_id).toBe(a?.union_id)
    expect(c?.union_id).not.toBe(a?.union_id)
    expect((await idsOf('a', 'grace'))?.open_id).not.toBe(a?.open_id)
  })
})

describe('test people', () => {
  it('have unique ids and no email field', () => {
    expect(new Set(testPeople.map(({ id }) => id)).size).toBe(testPeople.length)
    for (const { profile } of testPeople) expect(profile).not.toHaveProperty('email')
  })
})
