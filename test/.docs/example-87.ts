import x from '@latchkey/worker/providers/x'

export const provider = x({
  scope: 'users.read tweet.read',
  userinfo: { params: { 'user.fields': 'profile_image_url' } },
})
