export * from '@latchkey/worker/providers/twitch'
export { default } from '@latchkey/worker/providers/twitch'
