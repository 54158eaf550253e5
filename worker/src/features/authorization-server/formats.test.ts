import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { memoryStore } from '../../stores/memory.js'
import { claimsOf, oauthIsolate } from '../../test-support/oauth.js'
import { keyOf } from './grant.js'

// A code, a refresh token and a grant as the first version has made them: every later version reads them.

const { pass } = clock()

const HANDLE = 'the-handle-of-the-grant-01'
const SID = 'the-session-of-ada-0123456789'

const CODE = [
  'zIMldBD9.NYfQ_Ac5dWtywa6Xi37GP47OFuz_vO-XxjcaBPfV6ZvOoATcExtKktZ96h7-I-giRup-RbaCWp3igNT',
  '0zlXdL_KDFe9yq4T_KizeOLsCVb0wnD2ZIHgtITKISLwFu9-EkOuV4J9QaNQ_Ga5GetQ7Ahu7yeBfvgM0u1Rqvpx',
  'jbUkMLH5aYyLGbQTF86eMF6Y9rELL_Sju2J9V7EJvLPR-puu95_z8rc_-hjS5MZ8rgudDiE1MfCbRMGegf_WELDE',
  'YaSWFY1tBIPiHjhoupSw4bjOeAfbnPOr_wvKdQF_jy4bOJBmTJX5SAT9KE2NVG3sKLL4PB7TyLBfpkCTqktllSqc',
  'QEYkeRFpXG90wrLYkpIGGRDlzhwaOLo4lDh0PHOIVZeIPcE2twp9nlLEKYHA9wjOJOtOkxCUFogkCTOlSJl1AW9R',
  'uUyUMKvdG_etgjxJDRLTAYcFdu77eIzi3OYr_QZgS7qUYXj7AgEope1pNcrW8pjNW8opYoMTc0lW6GurVPfnYgbi',
  'rV3LwC-3tN4OzP-aK3Ruh-Xjcx7ADDPyVTWJgylYw7maHk_Uers-caSUxdRz04hZ6uc7CAYMlAi304woit3jZnlc',
  'yNSmUPBrGKXp59W5jPUaTPn9OA_8-Zuhl4VCYkigrZoh66tOJOI913yw4tiehM9wsF6sa6HmEeOLTHgaBFkmLygI',
  'gnTnbwgWBpZ8mcvMLAUwDka865QPftSWSUmvilpSKqFWfTxVqOhNxrsGZFXYd21oufDOBA6ClpsaFg6QfbdJ8ffk',
  'tlMiFjutjeYKvlv5T',
].join('')

const REFRESH_TOKEN = [
  'DGXUHh2c.n2s12kH_l_NaxhMbd_jmEo_jQBe6YVQOJp_XqPX2EuotBxAgOFOHG1CnAO7_NCO7s9IL7R1Uh9Ba9VV',
  'EVotBpQD2DOUbEqxHK6DXYh6u2TYN6o9YoNQETfBMHoYFsrjiDFXQ6ORzE8xPdvf3X8JYFe022LoaQkRgX3L8zfz',
  'UDr0N0v4y6mAlYlZrnMWGRN7gmzNEv3IL0bdJ30pPXcJ1CFkKicTzj2AzVNtEPHjviQ0VbIIKjopj6VBnPQ',
].join('')

const DOCUMENT = [
  [
    '{"v":1,"app":"spa","resource":"https://api.example/","scope":"openid profile notes:read"',
    ',"began":1793491190,"authTime":1793491190,"acr":"1","sid":"the-session-of-ada-0123456789',
    '","sexp":1796083200,"added":1793491200,"sealed":"U8zjG5Ma.gp_Yd6XUDlk4BHQbuM7EhwyE5469Un',
    'YwogjCcGiSF4f2WtM2UxBLqwYFzdVL5wGUqyHeYR_HrGTU5xY6UXRlX0uE4aL5B4gv7jlet4tctw5qtlgtazf94e',
    'NPBZQ7kgbIXQiEeqQAofQK_eeqrNoSGpxtLZ0heFA7pCvuxarFmRsS6Mjq7brDJYxPgrhJFp575r5cRpECiqcQrF',
    '2QQO64JT4QKu1fcy8EelMN4M9IndbQhpJU42_Diu50w0Et_57UcV_rbuYMnHwERg"}',
  ].join(''),
  ['{"used":[[1793491200,"DGXUHh2c"]]}'].join(''),
].join('\n')

/** The claims of an access token of that grant. */
const granted = {
  sub: 'ada',
  client_id: 'spa',
  aud: 'https://api.example/',
  scope: 'openid profile notes:read',
  grant: HANDLE,
  sid: SID,
  acr: '1',
}

it('a code of the first version can be exchanged', async () => {
  const { exchange } = oauthIsolate()
  const { status, accessToken, body } = await exchange(CODE)
  expect(status).toBe(200)
  expect(claimsOf(accessToken)).toMatchObject(granted)
  expect(claimsOf(String(body.id_token))).toMatchObject({ nonce: 'the-nonce', name: 'Ada' })
})

it('a refresh token and a grant of the first version go on', async () => {
  const store = memoryStore()
  const expires = Date.now() / 1000 + 86_400
  const life = { sid: SID, owner: { sub: 'ada', auth_time: 0 } }
  const change = { version: 0, content: DOCUMENT, expires }
  await store.ledger.liveDocument(keyOf('ada', HANDLE), life, change)
  const { refresh, userInfo } = oauthIsolate({ store })
  pass(600)
  const second = await refresh(REFRESH_TOKEN)
  expect(second.status).toBe(200)
  expect(claimsOf(second.accessToken)).toMatchObject(granted)
  expect((await userInfo(second.accessToken)).body).toEqual({ sub: 'ada', name: 'Ada' })
  pass(600)
  expect((await refresh(second.refreshToken)).status).toBe(200)
})
