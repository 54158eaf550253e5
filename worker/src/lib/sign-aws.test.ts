import { expect, test } from 'vitest'
import { signAws } from './sign-aws.js'

/** The key and the time of AWS's Signature Version 4 test suite. */
const client = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
}
const now = new Date('2015-08-30T12:36:00Z')
const url = 'https://example.amazonaws.com/'

test.each([
  [
    'post-vanilla',
    {},
    '',
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-x-www-form-urlencoded',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'Param1=value1',
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('signs as in %s of the test suite of AWS', async (_, headers, body, signed, signature) => {
  expect(await signAws(client, { url, headers, body }, now)).toEqual({
    ...headers,
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  })
})
