using OpenFeature;
using OpenFeature.Model;
using OpenFeature.Providers.Ofrep;
using OpenFeature.Providers.Ofrep.Configuration;

var options = new OfrepOptions(Environment.GetEnvironmentVariable("FLAGS_URL")!)
{
    Headers = new() { ["Authorization"] = $"Bearer {Environment.GetEnvironmentVariable("FLAGS_TOKEN")}" },
};
await Api.Instance.SetProviderAsync(new OfrepProvider(options));

var client = Api.Instance.GetClient();
var context = EvaluationContext.Builder().SetTargetingKey("user-42").Set("email", "ann@example.com").Build();
var grey = new Value(Structure.Builder().Set("color", "grey").Build());
var isOn = await client.GetBooleanValueAsync("new-checkout", false, context);
var payload = await client.GetObjectValueAsync("new-checkout.payload", grey, context);
var color = payload.AsStructure?.GetValue("color").AsString;
Console.WriteLine(isOn ? $"the new checkout, in {color}" : "the old checkout");
