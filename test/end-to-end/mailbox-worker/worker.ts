interface Mail {
  to: string
  from: string
  subject: string
  text?: string
  html?: string
}

/** Sends the mails that a test asks for, all at once, and serves the page that a link opens. */
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    if (request.method === 'POST' && pathname === '/send') {
      const mails = await request.json<Mail[]>()
      await Promise.all(mails.map((mail) => env.EMAIL.send(mail)))
      return new Response('sent')
    }
    if (pathname === '/log') console.log(searchParams.get('line'))
    // No site may frame the page, as with the sign-in pages.
    return new Response(`<title>Signed in with ${searchParams.get('token')}</title>`, {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      },
    })
  },
} satisfies ExportedHandler<{ EMAIL: SendEmail }>
