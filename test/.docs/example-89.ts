import videoapp from '@latchkey/worker/providers/videoapp'

export const provider = videoapp({
  scope: 'user.info.profile,user.info.stats',
  userinfo: { params: { fields: 'open_id,avatar_url,display_name,username,follower_count' } },
})
