import type { AccessToken } from '@latchkey/worker'

/** The bindings of what posts in people's names. */
export interface PostsEnv {
  /** Posts that wait, by their time and the person's id: `2026-11-22T18:00:00Z <user id>`. */
  readonly POSTS: KVNamespace
  /** Tells the video app's origin, which its API has too. */
  readonly AUTH_VIDEO_TOKEN_URL?: string
}

/** A post that waits. */
interface Post {
  readonly title: string
  /** The address of the video, from which the video app fetches it. */
  readonly url: string
}

/**
 * Publishes the posts that are due, in their authors' names: they may have signed out long
 * ago. A post that fails stays: the next run tries again, or the person has to connect the video
 * app again first.
 *
 * @param tokenOf the access token of a person, by `user.id` of their session
 */
export async function postDue(
  env: PostsEnv,
  now: number,
  tokenOf: (sub: string) => Promise<AccessToken>,
): Promise<void> {
  const { keys } = await env.POSTS.list()
  const due = keys.filter(({ name }) => Date.parse(name.split(' ')[0] ?? '') <= now)
  for (const { name } of due) {
    const post = await env.POSTS.get<Post>(name, 'json')
    const access = await tokenOf(name.slice(name.indexOf(' ') + 1))
    if (!post || !access.ok) continue
    if (await publish(env, access.accessToken, post)) await env.POSTS.delete(name)
  }
}

/** Deletes the waiting posts of a deleted account. */
export async function deletePostsOf({ POSTS }: PostsEnv, sub: string): Promise<void> {
  const { keys } = await POSTS.list()
  const own = keys.filter(({ name }) => name.endsWith(` ${sub}`))
  await Promise.all(own.map(({ name }) => POSTS.delete(name)))
}

async function publish(env: PostsEnv, token: string, { title, url }: Post): Promise<boolean> {
  const api = env.AUTH_VIDEO_TOKEN_URL ?? 'https://open.tiktokapis.com'
  const answer = await fetch(new URL('/v2/post/publish/video/init/', api), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      post_info: { title, privacy_level: 'SELF_ONLY' },
      source_info: { source: 'PULL_FROM_URL', video_url: url },
    }),
  })
  if (!answer.ok) console.error(`The video app refused a post with status ${answer.status}.`)
  return answer.ok
}
