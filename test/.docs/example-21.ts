const resources = {
  'https://api.example.com/': true,
  'https://admin.example.com/': ['reports:read'],
} as const
