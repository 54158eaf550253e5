import { describe, expect, it } from 'vitest'
import { createMailLineReader } from './mail-lines.ts'

const dir = '/home/ada/my app/.wrangler/tmp/email/miniflare-a5fdb4169bcc783cd24eebdd50d4b698'
const id = '58u7Pvd9xG2Tr77PppvSW4fyTt20OIYN4E5O@example.com'
const begin = '[wrangler:info] send_email binding called with MessageBuilder:'
const head = ['From: "Lätchkey" <a@example.com>', 'To: ada@example.com']
const files = [`Text: ${dir}/email-text/${id}.txt`, `HTML: ${dir}/email-html/${id}.html`]
const mail = [begin, ...head, 'Subject: 123 456 is your code', '', ...files]

function read(lines: string[]) {
  const reader = createMailLineReader()
  const results = lines.map((line) => ({ line, ...reader(line) }))
  return {
    sent: results.filter((it) => it.isSent).length,
    shown: results.filter((it) => !it.isHidden).map((it) => it.line),
  }
}

describe('the lines of wrangler about a mail', () => {
  it('are recognized among other lines', () => {
    const before = '[wrangler:info] POST /auth/signin/email 302 Found (24ms)'
    const after = ['{"message":"Text: mine"}', 'To: nobody', '', files[0] ?? '']
    expect(read([before, ...mail, ...after])).toEqual({ sent: 1, shown: [before, ...after] })
  })

  it('are recognized when several mails follow in quick succession', () => {
    expect(read([...mail, ...mail, ...mail, 'after'])).toEqual({ sent: 3, shown: ['after'] })
  })

  it.each([
    ['a text only', [begin, ...head, 'Subject: x', '', `Text: ${dir}/email-text/${id}.txt`]],
    ['HTML only', [begin, ...head, 'Subject: x', '', `HTML: ${dir}/email-html/${id}.html`]],
    [
      'attachments and copies',
      [
        ...[begin, ...head, 'Cc: b@example.com', 'Bcc: c@example.com', 'Subject: x', '', ...files],
        `Attachment (inline): a -> b.png -> ${dir}/email-attachment/${id}-1.png`,
      ],
    ],
    [
      'a message that is finished already',
      [
        '[wrangler:info] send_email binding called with the following message:',
        `Email: ${dir}/email/${id}.eml`,
      ],
    ],
    [
      'the paths of Windows',
      [
        begin,
        ...head,
        'Subject: x',
        '',
        'Text: C:\\my app\\.wrangler\\tmp\\email\\m\\email-text\\1.txt',
      ],
    ],
  ])('end where its files end, with %s', (_, lines) => {
    expect(read([...lines, 'after'])).toEqual({ sent: 1, shown: ['after'] })
  })

  it('end with the next line of wrangler when there are no files', () => {
    const next = '[wrangler:info] GET / 200 OK (3ms)'
    expect(read([begin, ...head, 'Subject: ', next, 'after']).shown).toEqual([next, 'after'])
  })

  it('hide the code in a subject with line breaks', () => {
    const subject = ['Subject: Hello', '', 'Text: /etc/passwd', '', 'Your code is 123456', '']
    expect(read([begin, ...head, ...subject, ...files, 'after']).shown).toEqual(['after'])
  })

  it('say that a mail was sent also when its files could not be written', () => {
    const failed = '[wrangler:info] Failed to persist sent email: Error: ENOSPC'
    expect(read([failed, 'after'])).toEqual({ sent: 1, shown: [failed, 'after'] })
  })

  it('are not taken from what a Worker logs', () => {
    const logged = ['send_email binding called with MessageBuilder:', 'From: x', `x ${begin}`]
    expect(read(logged)).toEqual({ sent: 0, shown: logged })
  })
})
