   import type { OAuthConfig } from '@latchkey/worker'

   interface ForumUser {
     readonly uid: string
     readonly nick: string
     readonly mail?: string
     readonly mail_confirmed?: boolean
   }

   export const provider: OAuthConfig<ForumUser> = {
     id: 'my-forum',
     name: 'My Forum',
     type: 'oauth',
     authorization: { url: 'https://forum.example/authorize', params: { scope: 'me mail' } },
     token: 'https://forum.example/token',
     userinfo: 'https://forum.example/me',
     revocation: 'https://forum.example/revoke',
     client: { token_endpoint_auth_method: 'client_secret_post' },
     profile: ({ uid, nick, mail, mail_confirmed }) => ({
       id: uid,
       name: nick,
       email: mail_confirmed === true ? (mail ?? null) : null,
       emailVerified: mail_confirmed,
       image: null,
     }),
     style: { brandColor: '#4d4d4d', text: '#ffffff' },
   }
   