import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.ImmutableStructure;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.Value;
import java.util.Map;

public class Shop {
    public static void main(String[] args) {
        var options = OfrepProviderOptions.builder()
                .baseUrl(System.getenv("FLAGS_URL"))
                .headers(ImmutableMap.of(
                        "Authorization", ImmutableList.of("Bearer " + System.getenv("FLAGS_TOKEN"))))
                .build();
        var api = OpenFeatureAPI.getInstance();
        api.setProviderAndWait(OfrepProvider.constructProvider(options));

        var client = api.getClient();
        var context = new ImmutableContext("user-42", Map.of("email", new Value("ann@example.com")));
        var grey = new Value(new ImmutableStructure(Map.of("color", new Value("grey"))));
        boolean isOn = client.getBooleanValue("new-checkout", false, context);
        var payload = client.getObjectValue("new-checkout.payload", grey, context).asStructure();
        System.out.println(
                isOn ? "the new checkout, in " + payload.getValue("color").asString() : "the old checkout");
        api.shutdown();
    }
}
