export * from '@latchkey/worker/providers/gitlab'
export { default } from '@latchkey/worker/providers/gitlab'
