import oauth from '@latchkey/worker/providers/oauth'

export const provider = oauth({
  id: 'my-forum',
  name: 'My Forum',
  authorization: { url: 'https://forum.example/authorize', params: { scope: 'me groups' } },
  token: 'https://forum.example/token',
  userinfo: {
    async request({ tokens, fetch }) {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const [me, groups] = await Promise.all([
        fetch('https://forum.example/me', { headers }),
        fetch('https://forum.example/me/groups', { headers }),
      ])
      if (!me.ok || !groups.ok) throw new Error('The forum did not identify the user.')
      return { ...((await me.json()) as object), groups: await groups.json() }
    },
  },
  profile: ({ sub, name }) => ({ id: sub ?? '', name: name ?? null, email: null, image: null }),
})
