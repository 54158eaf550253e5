import oauth from '@latchkey/worker/providers/oauth'

export const provider = oauth<{ uid: string; nick: string }>({
  id: 'my-forum',
  name: 'My Forum',
  authorization: { url: 'https://forum.example/authorize', params: { scope: 'me' } },
  token: 'https://forum.example/token',
  userinfo: 'https://forum.example/me',
  profile: ({ uid, nick }) => ({ id: uid, name: nick, email: null, image: null }),
})
