import github from '@latchkey/worker/providers/github'

export const provider = github({ enterprise: { baseUrl: 'https://github.example.com' } })
