import type { Context } from 'hono'
import { invalidParams, withGrant } from './api.js'
import type { SandboxContext } from './context.js'
import type { LogVariables } from './request-log.js'

/** As long as the real server takes it. Characters. */
const longestTitle = 2_200

/**
 * `POST /v2/post/publish/video/init/`: posts a video that the server fetches by its address, which
 * this one does not do. JSON: `{ post_info: { title }, source_info: { source, video_url } }`.
 */
export const handlePublish = (c: Context<LogVariables>, context: SandboxContext) =>
  withGrant(c, context, 'video.publish', async ({ person }) => {
    const body: unknown = await c.req.json().catch(() => undefined)
    const { post_info, source_info } = (body ?? {}) as Record<string, Record<string, unknown>>
    const title = post_info?.title
    if (typeof title !== 'string' || title === '' || title.length > longestTitle) {
      return invalidParams('post_info.title is needed.')
    }
    const address = source_info?.video_url
    const isAddress = typeof address === 'string' && URL.parse(address)?.protocol === 'https:'
    if (source_info?.source !== 'PULL_FROM_URL' || !isAddress) {
      return invalidParams('source_info needs source PULL_FROM_URL and an https video_url.')
    }
    const { id } = await context.videos.add(person.id, title)
    return { data: { publish_id: id } }
  })

/** `POST /v2/video/list/`: the videos of the person, newest first. */
export const handleVideoList = (c: Context<LogVariables>, context: SandboxContext) =>
  withGrant(c, context, 'video.list', ({ person }) => ({
    data: { videos: context.videos.of(person.id), has_more: false },
  }))
