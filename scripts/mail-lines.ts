/** How a line of `wrangler dev` relates to a mail that a Worker sent. */
export interface MailLine {
  /** Whether it says that a mail was sent. */
  readonly isSent: boolean
  /** Whether it is about a mail's contents or files: a subject may hold a code. */
  readonly isHidden: boolean
}

/**
 * Follows the lines that `wrangler dev` prints for its local `send_email` binding: a first line, the
 * mail's head, an empty line, then the files that hold its parts.
 *
 * @example
 * const read = createMailLineReader()
 * read('[wrangler:info] send_email binding called with MessageBuilder:').isSent // true
 */
export function createMailLineReader(): (line: string) => MailLine {
  let part: 'head' | 'files' | undefined
  return (line) => {
    if (firstLine.test(line)) {
      part = 'head'
      return { isSent: true, isHidden: true }
    }
    // Wrangler could not write the files. The mail was sent nevertheless.
    const isSent = failedLine.test(line)
    if (part !== undefined && fileLine.test(line)) part = 'files'
    // A subject with line breaks can imitate any line, so only a line that names a file ends the
    // head.
    else if (part === 'files' || wranglerLine.test(line)) part = undefined
    return { isSent, isHidden: part !== undefined }
  }
}

const wranglerLine = /^\[wrangler:\w+\] /
const firstLine = /^\[wrangler:\w+\] send_email binding called with /
const failedLine = /^\[wrangler:\w+\] Failed to persist sent email/
const fileLine =
  /^(Text|HTML|Email|Attachment \(\w+\)): .*[\\/]email(-text|-html|-attachment)?[\\/]/
